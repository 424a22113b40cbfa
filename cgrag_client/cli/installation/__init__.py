"""Commands about the installation."""
