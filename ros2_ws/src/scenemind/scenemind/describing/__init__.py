"""What is asked of a vision-language model about objects, off the frame path."""
