"""The searches global, local, drift, basic and text, with one file for each."""
