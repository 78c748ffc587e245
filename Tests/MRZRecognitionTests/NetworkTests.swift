import Foundation
import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("The network that reads characters")
struct NetworkTests {
  @Test("computes what numpy computes with the same weights")
  func reference() throws {
    let network = try #require(CharacterNetwork.standard)
    let windows = Fixtures.json("MRZRecognitionTests", "network.json")["windows"].list
    #expect(windows.count >= 20)
    for window in windows {
      let strip = LineStrip(luminance: window["strip"].floats, columns: window["columns"].number)
      let expected = window["probabilities"].floats
      let logarithms = network.logProbabilities(strip, column: window["centre"].number)
      #expect(logarithms.count == expected.count)
      for (logarithm, probability) in zip(logarithms, expected) { #expect(abs(exp(logarithm) - probability) < 0.002) }
    }
  }

  @Test("refuses damaged weights")
  func damaged() {
    let weights = PackageResources.ocr_b_weights
    #expect(CharacterNetwork(weights) != nil)
    #expect(CharacterNetwork(Array(weights.dropLast())) == nil)
    #expect(CharacterNetwork(weights + [0]) == nil)
    #expect(CharacterNetwork([0] + weights.dropFirst()) == nil)
    #expect(CharacterNetwork([]) == nil)
    // The first scale is not a number.
    #expect(CharacterNetwork(Array(weights[..<8]) + [0xFF, 0xFF, 0xFF, 0xFF] + weights[12...]) == nil)
  }
}

extension Vector {
  var floats: [Float] { (raw as? [NSNumber])?.map(\.floatValue) ?? [] }
}
