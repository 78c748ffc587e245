import Testing

@testable import TesseraCamera
