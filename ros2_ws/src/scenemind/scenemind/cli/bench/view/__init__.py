"""What the browser view costs on a large map."""
