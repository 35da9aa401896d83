"""How a value is shown: tables, the screen, HTML, notebooks, working spelled out, pictures."""
