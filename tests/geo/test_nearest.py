import numpy as np

from discreet.geo.cities import nearest


def distance(a, b):
    """The great-circle angle between two (latitude, longitude), by the haversine."""
    (lat1, lon1), (lat2, lon2) = np.radians(a), np.radians(b)
    h = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(h))


def test_the_nearest_centre_is_nearest_along_a_great_circle():
    rng = np.random.default_rng(0)
    points = np.stack([rng.uniform(-90, 90, 200), rng.uniform(-180, 180, 200)], axis=1)
    centres = np.stack([rng.uniform(-90, 90, 20), rng.uniform(-180, 180, 20)], axis=1)
    found = nearest(points[:, 0], points[:, 1], centres[:, 0], centres[:, 1])
    expected = [np.argmin([distance(point, centre) for centre in centres]) for point in points]
    assert np.array_equal(found, expected)


def test_nearness_crosses_the_date_line():
    assert nearest(np.array([0.0]), np.array([179.0]), np.array([0.0, 0.0]), np.array([-178.0, 170.0]))[0] == 0
