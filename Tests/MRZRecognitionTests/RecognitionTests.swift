import Testing

@testable import TesseraMRZRecognition
