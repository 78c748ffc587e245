import TesseraCryptography
import TesseraSmartCard
import Testing

@testable import TesseraFleet

@Suite("The manifest of the country certificates") struct FleetTrustManifestTests {
  private static let limits = TrustBucketLimits()
  private static let partSize = TrustBucketLimits.partSize

  private static func manifest(_ change: (inout TrustManifest) -> Void = { _ in }) throws -> TrustManifest {
    var manifest = TrustManifest()
    manifest.sources = [
      try TrustManifest.Source(name: "a.ml", content: [1, 2, 3]),
      try TrustManifest.Source(name: "b.ldif", content: [UInt8](repeating: 7, count: partSize * 2 + 1)),
    ]
    manifest.roots = [TrustManifest.Root(certificate: Base64Bytes([0x30, 0x00]), file: "a.ml")]
    change(&manifest)
    return manifest
  }

  private static func read(_ manifest: TrustManifest, _ limits: TrustBucketLimits = limits) throws -> TrustManifest {
    try TrustManifest(FleetCoding.encode(manifest), limits)
  }

  @Test("It is read as it was written, and states each part") func form() throws {
    let manifest = try Self.manifest()
    #expect(try Self.read(manifest) == manifest)
    #expect(manifest.sources.map(\.parts.count) == [1, 3])
    // SHA-256 of 01 02 03.
    #expect(manifest.sources[0].sha256 == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
    #expect((0..<3).map(manifest.sources[1].partSize) == [Self.partSize, Self.partSize, 1])
    #expect(manifest.parts.count == 3)
    let whole = try TrustManifest.Source(name: "c", content: [UInt8](repeating: 7, count: Self.partSize))
    #expect(whole.parts.count == 1 && whole.partSize(0) == Self.partSize)
  }

  @Test("A manifest of another version is told from a malformed one") func version() throws {
    let text = String(decoding: try FleetCoding.encode(Self.manifest()), as: UTF8.self)
    for version in ["2", "0", "-1"] {
      let other = text.replacing("\"version\":1", with: "\"version\":\(version)")
      #expect(other != text)
      #expect(throws: TrustBucketError.unknownVersion) { try TrustManifest(Array(other.utf8), Self.limits) }
    }
    for other in [
      "", "{}", "[]", "null", String(text.dropLast()), "{\"version\":1}", String(repeating: "[", count: 100_000),
    ] {
      #expect(throws: TrustBucketError.malformed) { try TrustManifest(Array(other.utf8), Self.limits) }
    }
    #expect(throws: TrustBucketError.malformed) {
      try TrustManifest(Array(text.replacing("\"version\":1", with: "\"version\":\"1\"").utf8), Self.limits)
    }
  }

  @Test("Numbers that do not agree are refused")
  func inconsistent() throws {
    let changes: [(inout TrustManifest) -> Void] = [
      { $0.sources[0].size = 0 }, { $0.sources[0].size = -1 }, { $0.sources[0].size = Self.partSize + 1 },
      { $0.sources[0].parts = [] }, { $0.sources[0].parts.append($0.sources[0].sha256) },
      { $0.sources[1].parts.removeLast() }, { $0.sources[0].name = "" },
      { $0.sources[0].name = String(repeating: "é", count: 129) }, { $0.sources[1].name = "a.ml" },
      { $0.sources[0].sha256 = "" }, { $0.sources[0].sha256 = $0.sources[0].sha256.uppercased() },
      // A key of another entry, a wildcard, another stream's subject.
      { $0.sources[0].parts = ["manifest"] }, { $0.sources[0].parts = [String(repeating: ">", count: 64)] },
      { $0.rootFingerprints = ["00"] },
    ]
    for (index, change) in changes.enumerated() {
      #expect(throws: TrustBucketError.malformed, "\(index)") { try Self.read(Self.manifest(change)) }
    }
  }

  @Test("Sizes over the limits are refused before anything is downloaded, without overflow")
  func tooLarge() throws {
    let changes: [(inout TrustManifest) -> Void] = [
      { $0.sources[0].size = .max }, { $0.sources[1].size = .max - 2 }, { $0.sources[0].size = (256 << 20) + 1 },
      {
        $0.sources[0].size = 200 << 20
        $0.sources[0].parts = [String](repeating: $0.sources[0].sha256, count: 400)
        $0.sources[1].size = 100 << 20
      },
      { $0.roots = [TrustManifest.Root](repeating: $0.roots[0], count: 129) },
      { $0.roots[0].certificate = Base64Bytes([UInt8](repeating: 0, count: (16 << 10) + 1)) },
      { $0.rootFingerprints = [String](repeating: $0.sources[0].sha256, count: 129) },
      {
        let source = $0.sources[0]
        $0.sources = (0...1000).map { number in
          var source = source
          source.name = "\(number)"
          return source
        }
      },
    ]
    for (index, change) in changes.enumerated() {
      #expect(throws: TrustBucketError.tooLarge, "\(index)") { try Self.read(Self.manifest(change)) }
    }
    let bytes = try FleetCoding.encode(Self.manifest())
    var limits = Self.limits
    limits.manifestSize = bytes.count
    #expect(try TrustManifest(bytes, limits) == Self.manifest())
    limits.manifestSize -= 1
    #expect(throws: TrustBucketError.tooLarge) { try TrustManifest(bytes, limits) }
  }
}
