"""One file per thing that the service does; drives the domain over ports."""
