"""XLSForms, the workbooks of ODK and KoboToolbox, as questionnaires and back."""
