import TestSupport
import Testing

@testable import TesseraArchive

/// Archives that an attacker made.
@Suite struct HostileArchiveTests {
  private static let limits = RealPrograms.ZipArchiveTests.limits
  private static let archive = try? ZipArchive.write(RealPrograms.ZipArchiveTests.entries)

  /// The offsets of a signature in the archive.
  private static func places(of signature: [UInt8], in bytes: [UInt8]) -> [Int] {
    bytes.indices.filter { bytes[$0...].starts(with: signature) }
  }

  private static let localHeader: [UInt8] = [0x50, 0x4B, 3, 4]
  private static let centralHeader: [UInt8] = [0x50, 0x4B, 1, 2]

  private static func put(_ value: UInt32, at offset: Int, in bytes: inout [UInt8]) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  @Test func zerosThatExpandAThousandfold() throws {
    let bomb = try ZipArchive.write([ZipEntry(name: "a", bytes: [UInt8](repeating: 0, count: 64 << 20))])
    #expect(bomb.count < 100_000)
    #expect(throws: ArchiveError.tooLarge(.entrySize(4 << 20))) { try ZipArchive.read(bomb, Self.limits) }
  }

  /// The directory states one megabyte; minizip ends there, and the checksum does not match.
  @Test func aBombThatLiesAboutItsSize() throws {
    var bomb = try ZipArchive.write([ZipEntry(name: "a", bytes: [UInt8](repeating: 0, count: 64 << 20))])
    let central = try #require(Self.places(of: Self.centralHeader, in: bomb).last)
    let local = try #require(Self.places(of: Self.localHeader, in: bomb).first)
    Self.put(1 << 20, at: central + 24, in: &bomb)
    Self.put(1 << 20, at: local + 22, in: &bomb)
    #expect(throws: ArchiveError.damaged) { try ZipArchive.read(bomb, Self.limits) }
  }

  @Test func aFileThatIsShorterThanStated() throws {
    var archive = try ZipArchive.write([ZipEntry(name: "a", bytes: [1, 2, 3])])
    let central = try #require(Self.places(of: Self.centralHeader, in: archive).last)
    let local = try #require(Self.places(of: Self.localHeader, in: archive).first)
    Self.put(1000, at: central + 24, in: &archive)
    Self.put(1000, at: local + 22, in: &archive)
    #expect(throws: ArchiveError.damaged) { try ZipArchive.read(archive, Self.limits) }
  }

  @Test func allFilesTogetherAreLimited() throws {
    let file = [UInt8](repeating: 7, count: 3 << 20)
    let archive = try ZipArchive.write((0..<3).map { ZipEntry(name: "\($0)", bytes: file) })
    #expect(throws: ArchiveError.tooLarge(.totalSize(8 << 20))) { try ZipArchive.read(archive, Self.limits) }
  }

  @Test func theNumberOfFilesIsLimited() throws {
    let archive = try ZipArchive.write((0..<101).map { ZipEntry(name: "\($0)", bytes: []) })
    #expect(throws: ArchiveError.tooLarge(.entries(100))) { try ZipArchive.read(archive, Self.limits) }
  }

  /// The directory names the first file twice, as in David Fifield's bomb.
  @Test func overlappingFiles() throws {
    let file = [UInt8](repeating: 7, count: 1000)
    var archive = try ZipArchive.write([ZipEntry(name: "a", bytes: file), ZipEntry(name: "a", bytes: file)])
    let second = try #require(Self.places(of: Self.centralHeader, in: archive).last)
    Self.put(0, at: second + 42, in: &archive)
    #expect(throws: ArchiveError.damaged) { try ZipArchive.read(archive, Self.limits) }
  }

  @Test func encryptedFiles() throws {
    var archive = try ZipArchive.write([ZipEntry(name: "a", bytes: [1, 2, 3])])
    for place in Self.places(of: Self.centralHeader, in: archive) { archive[place + 8] |= 1 }
    #expect(throws: ArchiveError.encrypted) { try ZipArchive.read(archive, Self.limits) }
  }

  @Test func aNameWithNUL() throws {
    var archive = try ZipArchive.write([ZipEntry(name: "a.ml.exe", bytes: [1])])
    for place in Self.places(of: Array("a.ml.exe".utf8), in: archive) { archive[place + 4] = 0 }
    #expect(throws: ArchiveError.invalidName) { try ZipArchive.read(archive, Self.limits) }
  }

  @Test func oneChangedByteOfTheContent() throws {
    let archive = try ZipArchive.write(
      [ZipEntry(name: "a", bytes: RealPrograms.ZipArchiveTests.entries[0].bytes)], .stored)
    for place in stride(from: 40, to: 90_000, by: 9_999) {
      var changed = archive
      changed[place] ^= 1
      #expect(throws: ArchiveError.damaged) { try ZipArchive.read(changed, Self.limits) }
    }
  }

  @Test func otherFiles() throws {
    #expect(throws: ArchiveError.notAnArchive) { try ZipArchive.read([], Self.limits) }
    #expect(throws: ArchiveError.damaged) { try ZipArchive.read([0x50, 0x4B, 3, 4], Self.limits) }
    #expect(throws: ArchiveError.notAnArchive) { try ZipArchive.read([0x30, 0x82, 1, 2], Self.limits) }
  }

  @Test func everyTruncation() throws {
    let archive = try ZipArchive.write([ZipEntry(name: "a", bytes: Array("hello".utf8))])
    for length in 0..<archive.count {
      #expect(throws: ArchiveError.self) { try ZipArchive.read(Array(archive.prefix(length)), Self.limits) }
    }
  }

  /// A change may hit a field without meaning, but content is never different.
  @Test func randomChanges() async throws {
    let archive = try #require(Self.archive)
    await Fuzzing.manyTimes(500, of: "archives") { generator in
      var changed = archive
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // Half of the changes hit headers and the directory.
        let range = Bool.random(using: &generator) ? 0..<64 : max(0, changed.count - 300)..<changed.count
        let place = Int.random(in: Bool.random(using: &generator) ? range : changed.indices, using: &generator)
        changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      guard let entries = try? ZipArchive.read(changed, Self.limits) else { return }
      for entry in entries { #expect(RealPrograms.ZipArchiveTests.entries.map(\.bytes).contains(entry.bytes)) }
    }
    await Fuzzing.manyTimes(500, of: "archives") { generator in
      _ = try? ZipArchive.read(Fuzzing.mutated(archive, &generator), Self.limits)
    }
  }
}
