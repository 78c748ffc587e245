import Foundation
import TesseraCryptography
import TestSupport
import TesseraThreads
import Testing

@testable import TesseraVerification

@Suite struct FlipScratch {
  @Test func all() throws {
    let bytes = PublishedFiles.masterList
    let root = try Certificate(der: PublishedFiles.root)
    let content = try SignedData(bytes).content
    let start = try #require(bytes.firstRange(of: content[..<64])).lowerBound
    let places = Array(0..<start) + Array((start + content.count)..<bytes.count)
    print("PLACES", places.count, start, bytes.count)
    let bad = places.concurrentMap { place -> String? in
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      guard let file = try? TrustFileContent(changed, name: "x") else { return nil }
      for object in file.objects {
        guard case .masterList(let b) = object else { return "object \(place)" }
        guard let list = try? MasterList(b) else { continue }
        if list.signer.problem(at: .now) == nil, list.signer.path(to: [root], through: list.certificates) != nil {
          return "accepted \(place) \(list.certificates.count) \(list.signer.embedded.count)"
        }
      }
      return nil
    }.compactMap { $0 }
    for b in bad { print("BAD", b) }
  }
}
