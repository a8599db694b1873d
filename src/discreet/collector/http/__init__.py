"""How the collector speaks HTTP: routes, requests, bodies, errors, limits on slow clients."""
