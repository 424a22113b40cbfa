"""How the suite is packed, deployed and watched."""
