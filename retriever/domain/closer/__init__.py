"""The closer look: tells the first functions of a report apart by how well its words describe each of them."""
