"""One request to running nodes: what commands of `scenemind` with --live start.

`python -m scenemind_ros.commands.live_request` reads a JSON object from standard input, such as
`{"task": "ask", "text": "where is the cup?"}`. What answers people (`asking`) is printed for them,
or as JSON with `as_json`; what is fetched (`fetching`, `journal`) is always one line of JSON, which
the command shows as it shows what a stored memory says.
"""
