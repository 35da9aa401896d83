"""How long a step takes: models and machines by their sheets, the roofline, what is measured."""
