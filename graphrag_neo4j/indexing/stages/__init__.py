"""The stages of an index, one file each. Each asks the graph what is pending, thinks, saves."""
