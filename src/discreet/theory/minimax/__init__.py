"""Lower bounds on the error of every mechanism and estimator, method by method."""
