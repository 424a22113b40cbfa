"""Rules of JavaScript and TypeScript for the linker."""
