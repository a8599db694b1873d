"""Do the reports fit their law, and did people follow the instructions?"""
