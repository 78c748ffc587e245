import Foundation
import TesseraPassport
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("Fuzzing of data groups")
struct GroupFuzzTests {
  /// Runs a fixed number of inputs; with `TESSERA_FUZZ_SECONDS`, for that time each and with other numbers in every
  /// run.
  static let seconds = ProcessInfo.processInfo.environment["TESSERA_FUZZ_SECONDS"].flatMap(Double.init)

  private func manyTimes(_ count: Int, _ body: (inout SeededGenerator) throws -> Void) rethrows {
    let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
    let seed = Self.seconds == nil ? 1 : UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    var turns = 0
    repeat {
      for _ in 0..<count { try body(&generator) }
      turns += count
    } while end.map { ContinuousClock.now < $0 } ?? false
    if Self.seconds != nil { print("\(turns) inputs, seed \(seed)") }
  }

  /// A few changes, most of them in the structure near the start.
  private func mutated(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let reach = Bool.random(using: &generator) ? bytes.count : min(bytes.count, 120)
      let place = Int.random(in: 0...reach, using: &generator)
      let length = Int.random(in: 0...min(8, bytes.count - place), using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.removeSubrange(place..<place + length)
      case 1: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 3: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator) / 4)
      case 4:
        for index in place..<place + length {
          bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
      default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
      }
    }
    return bytes
  }

  /// Encodes and parses again what was parsed from modified bytes: the result is equal except for the inconsistencies.
  enum Group: String, CaseIterable, CustomTestStringConvertible {
    case dg2, dg2OfStandard, dg3, dg3OfStandard, dg4, dg4OfStandard, dg5, dg7, dg11, dg12, dg16

    var testDescription: String { rawValue }

    func seed() throws -> [UInt8] {
      let groups = try SpecimenDocument.everyGroup()
      switch self {
      case .dg2:
        let face = FacialImage(data: SpecimenDocument.signature, width: 240, height: 80)
        return DataGroup2(faces: [face]).encoded
      case .dg2OfStandard:
        // A short image, so that the changes hit the structure.
        var group = try DataGroup2(FaceTests.allFields)
        guard case .iso39794(var block) = group.templates[0].block else { return [] }
        block.representations[0].image.data = Array(block.representations[0].image.data.prefix(200))
        group.templates[0].block = .iso39794(block)
        return group.encoded
      case .dg3OfStandard:
        let block = try FingerImageBlock(encoded: FingerAndIrisTests.fingerSample)
        return DataGroup3(templates: [.init(header: FingerAndIrisTests.header, block: .iso39794(block))]).encoded
      case .dg4OfStandard:
        let block = try IrisImageBlock(encoded: FingerAndIrisTests.irisSample)
        return DataGroup4(templates: [.init(header: FingerAndIrisTests.header, block: .iso39794(block))]).encoded
      default: return groups[Int(rawValue.drop { !$0.isNumber }) ?? 0] ?? []
      }
    }

    /// Whether the bytes were parsed.
    func isReadable(_ bytes: [UInt8]) -> Bool {
      do throws(FileFinding) {
        try read(bytes)
        return true
      } catch {
        return false
      }
    }

    private func read(_ bytes: [UInt8]) throws(FileFinding) {
      switch self {
      case .dg2, .dg2OfStandard:
        let group = try DataGroup2(bytes)
        let again = try DataGroup2(group.encoded)
        #expect(again.templates == group.templates)
      case .dg3, .dg3OfStandard:
        let group = try DataGroup3(bytes)
        let again = try DataGroup3(group.encoded)
        #expect(again.templates == group.templates)
      case .dg4, .dg4OfStandard:
        let group = try DataGroup4(bytes)
        let again = try DataGroup4(group.encoded)
        #expect(again.templates == group.templates)
      case .dg5: _ = try DisplayedImages(.portrait, bytes)
      case .dg7: _ = try DisplayedImages(.signatureOrMark, bytes)
      case .dg11:
        let group = try DataGroup11(bytes)
        let again = try DataGroup11(group.encoded)
        #expect(again.fullName == group.fullName && again.otherNames == group.otherNames)
        #expect(again.dateOfBirth == group.dateOfBirth && again.custodyInformation == group.custodyInformation)
      case .dg12:
        let group = try DataGroup12(bytes)
        let again = try DataGroup12(group.encoded)
        #expect(again.personalizationTime == group.personalizationTime && again.otherPersons == group.otherPersons)
      case .dg16:
        let group = try DataGroup16(bytes)
        let again = try DataGroup16(group.encoded)
        #expect(again.persons == group.persons.prefix(15).map { $0 })
      }
    }
  }

  @Test("every modification is parsed, or refused with a finding", arguments: Group.allCases)
  func changed(_ group: Group) throws {
    let seed = try group.seed()
    #expect(group.isReadable(seed))
    var readable = 0
    var refused = 0
    manyTimes(1500) { generator in
      if group.isReadable(mutated(seed, &generator)) { readable += 1 } else { refused += 1 }
    }
    #expect(readable > 100 && refused > 50, "\(readable) read, \(refused) refused")
  }

  @Test("modified image headers are parsed, or refused with a reason")
  func headers() throws {
    let seeds = [
      SpecimenDocument.signature, SpecimenDocument.smallPortrait, FingerAndIrisTests.wsq(width: 260, height: 300),
      try #require(try FingerImageBlock(encoded: FingerAndIrisTests.fingerSample).representations.first?.data),
    ]
    var readable = 0
    var refused = 0
    manyTimes(10_000) { generator in
      let seed = seeds[Int.random(in: 0..<seeds.count, using: &generator)].prefix(300)
      do {
        let header = try ImageHeader(mutated(Array(seed), &generator))
        #expect(header.size.width > 0 && header.size.height > 0 && header.components > 0)
        readable += 1
      } catch {
        refused += 1
      }
    }
    #expect(readable > 1000 && refused > 1000, "\(readable) read, \(refused) refused")
  }
}
