"""Columns in files and pipes: text lines, CSV, JSON lines, Arrow and Parquet, plain or compressed."""
