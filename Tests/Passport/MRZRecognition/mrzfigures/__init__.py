"""Synthetic pictures of machine readable zones: training and measuring of the reader in TesseraMRZRecognition."""
