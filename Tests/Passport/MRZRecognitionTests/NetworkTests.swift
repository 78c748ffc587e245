import Foundation
import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("The networks that read characters")
struct NetworkTests {
  @Test("the network of single characters computes what numpy computes with the same weights")
  func character() throws {
    let network = try #require(ZoneNetworks.standard).finder
    let windows = Fixtures.json("Passport/MRZRecognitionTests", "network.json")["windows"].list
    #expect(windows.count >= 20)
    for window in windows {
      let strip = LineStrip(luminance: window["strip"].floats, columns: window["columns"].number)
      let expected = window["probabilities"].floats
      let logarithms = network.logProbabilities(strip, column: window["centre"].number)
      #expect(logarithms.count == expected.count)
      for (logarithm, probability) in zip(logarithms, expected) { #expect(abs(exp(logarithm) - probability) < 0.002) }
    }
  }

  @Test("the networks of lines compute what PyTorch computes with the same weights")
  func line() throws {
    let networks = try #require(ZoneNetworks.standard)
    let lines = Fixtures.json("Passport/MRZRecognitionTests", "line-network.json")["lines"].list
    #expect(lines.count >= 2)
    for line in lines {
      let places = line["places"].number
      let expected = line["probabilities"].list.flatMap(\.floats)
      #expect(expected.count == places * ZoneCharacter.count)
      let strip = LineStrip(values: line["strip"].floats, columns: (places + 2) * LineStrip.pitch)
      let scores = ZoneScores(rows: 1, columns: places) {
        networks.read(strip, center: LineNetwork.margin, places: places, into: $0)
      }
      var largest: Float = 0
      for (index, probability) in expected.enumerated() {
        let logarithm = scores.value(0, index / ZoneCharacter.count, index % ZoneCharacter.count)
        // The reader's floor; the fixture rounds the values of the strip.
        largest = max(largest, abs(logarithm - max(log(probability), -30)))
      }
      #expect(largest < 0.001)
    }
  }

  @Test("what is outside of a strip counts as its surroundings")
  func outside() throws {
    let networks = try #require(ZoneNetworks.standard)
    var generator = SplitMix(seed: 42)
    // The strip of one place, without the 20 columns at its left and right that are zero in the other.
    let inner = (0..<LineStrip.rows * 20).map { _ in Float.random(in: -2...2, using: &generator) }
    var wide = [Float](repeating: 0, count: LineStrip.rows * 60)
    for (index, value) in inner.enumerated() { wide[index / 20 * 60 + 20 + index % 20] = value }
    let scores = [(inner, 20, 10), (wide, 60, 30)].map { values, columns, center in
      ZoneScores(rows: 1, columns: 1) {
        networks.read(LineStrip(values: values, columns: columns), center: center, places: 1, into: $0)
      }
    }
    #expect((0..<ZoneCharacter.count).allSatisfy { scores[0].value(0, 0, $0) == scores[1].value(0, 0, $0) })
    let sum = (0..<ZoneCharacter.count).reduce(Float(0)) { $0 + exp(scores[0].value(0, 0, $1)) }
    #expect(abs(sum - 1) < 0.001)
  }

  @Test("refuses damaged weights")
  func damaged() {
    let weights = PackageResources.ocr_b_weights
    #expect(ZoneNetworks(weights) != nil)
    #expect(ZoneNetworks(Array(weights.dropLast())) == nil)
    #expect(ZoneNetworks(weights + [0]) == nil)
    #expect(ZoneNetworks([0] + weights.dropFirst()) == nil)
    #expect(ZoneNetworks([]) == nil)
    // The first scale is not a number.
    #expect(ZoneNetworks(Array(weights[..<8]) + [0xFF, 0xFF, 0xFF, 0xFF] + weights[12...]) == nil)
  }

  @Test("a file has one line network or several; without one it is refused")
  func members() throws {
    let weights = PackageResources.ocr_b_weights
    let starts = weights.indices.filter { weights[$0...].starts(with: "OCRBLIN1".utf8) }
    let (first, last) = (try #require(starts.first), try #require(starts.last))
    let (finder, line) = (Array(weights[..<first]), Array(weights[last...]))
    #expect(ZoneNetworks(finder) == nil && ZoneNetworks(line) == nil && ZoneNetworks(finder + finder) == nil)
    let one = try #require(ZoneNetworks(finder + line))
    let two = try #require(ZoneNetworks(finder + line + line))
    #expect(one.lines.count == 1 && two.lines.count == 2)
    // The mean of equal probabilities.
    let strip = LineStrip(values: (0..<24 * 100).map { Float($0 % 23) / 10 - 1 }, columns: 100)
    let scores = [one, two].map { networks in
      ZoneScores(rows: 1, columns: 3) { networks.read(strip, center: LineNetwork.margin, places: 3, into: $0) }
    }
    for index in 0..<3 * ZoneCharacter.count {
      let (place, character) = (index / ZoneCharacter.count, index % ZoneCharacter.count)
      #expect(abs(scores[0].value(0, place, character) - scores[1].value(0, place, character)) < 0.001)
    }
  }
}

extension Vector {
  var floats: [Float] { (raw as? [NSNumber])?.map(\.floatValue) ?? [] }
}
