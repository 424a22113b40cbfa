"""What files declare: values, routes, messages, dependencies, commands; and how well each matches a question."""
