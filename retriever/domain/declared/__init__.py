"""What files declare: values, routes, messages, dependencies, commands; and how well one fits what a question names."""
