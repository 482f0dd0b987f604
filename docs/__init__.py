"""The pages of the docs, and what runs them; mkdocs.yml makes a site of them."""
