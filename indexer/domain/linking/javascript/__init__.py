"""The rules of JavaScript and TypeScript."""
