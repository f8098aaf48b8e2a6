"""How far answers and reports rest on what they cite."""
