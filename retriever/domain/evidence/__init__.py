"""Evidence: its pieces with the reason for each, their token budget, and which symbols form one definition."""
