"""The pages: what people see in a browser, as static files over the collector's own interface."""
