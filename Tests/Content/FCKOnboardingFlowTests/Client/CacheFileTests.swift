import Foundation
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// The files of the cache.
@Suite struct CacheFileTests {
  private static func placement(_ body: String, tag: String? = nil) -> CachedPlacement {
    CachedPlacement(body: Array(body.utf8), entityTag: tag, time: ClientLab.start)
  }

  @Test("the bytes come back as they were sent") func bytes() throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.file("a/b"))
    let placement = Self.placement("{ \"a\":\t\"\u{1}é\\u00e9\" , \"a\": 1.0 }\r\n", tag: #"W/"v 1""#)
    try cache.store(placement, for: "main", scope: "s")
    #expect(cache.placement("main", scope: "s") == placement)
    #expect(cache.placement("main", scope: "t") == nil)
    #expect(cache.placement("other", scope: "s") == nil)
    #expect(try ClientLab.modes(folder.file("a/b")) == ["placement-main.json": 0o600])
  }

  @Test("a name of a placement is the name of one file", arguments: ["a/b", "../x", "ä ö", ".hidden", "A%2Fb", "a\0b"])
  func names(name: String) throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.file("cache"))
    try cache.store(Self.placement(name), for: name, scope: "s")
    try cache.store(Self.placement("other"), for: "a", scope: "s")
    #expect(cache.placement(name, scope: "s") == Self.placement(name))
    #expect(try ClientLab.modes(folder.file("cache")).count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["cache"])
    try cache.remove(name)
    #expect(cache.placement(name, scope: "s") == nil && cache.placement("a", scope: "s") != nil)
  }

  private static let damaged = [
    "", "{", "[]", #"{"format": 2, "scope": "s", "time": "2030-01-02T03:04:05Z", "body": "{}"}"#,
    #"{"format": 1, "scope": "s", "time": "never", "body": "{}"}"#,
    #"{"format": 1, "scope": "s", "time": "2030-01-02T03:04:05Z"}"#,
    #"{"format": 1, "scope": "s", "time": 5, "body": {}}"#,
  ]

  @Test("a damaged file counts as absent", arguments: damaged) func damagedFiles(content: String) throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.url.path)
    try cache.store(Self.placement("x"), for: "main", scope: "s")
    try Data(content.utf8).write(to: folder.url.appendingPathComponent("placement-main.json"))
    #expect(cache.placement("main", scope: "s") == nil)
    try cache.store(Self.placement("y"), for: "main", scope: "s")
    #expect(cache.placement("main", scope: "s") == Self.placement("y"))
  }

  @Test("a link and a folder of others are not read") func foreignFiles() throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.file("cache"))
    try cache.store(Self.placement("x"), for: "main", scope: "s")
    let manager = FileManager.default
    try manager.moveItem(atPath: folder.file("cache/placement-main.json"), toPath: folder.file("elsewhere"))
    try manager.createSymbolicLink(
      atPath: folder.file("cache/placement-main.json"), withDestinationPath: folder.file("elsewhere"))
    #expect(cache.placement("main", scope: "s") == nil)
    try cache.store(Self.placement("y"), for: "main", scope: "s")
    #expect(cache.placement("main", scope: "s") != nil)
    try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.file("cache"))
    #expect(cache.placement("main", scope: "s") == nil)
  }

  @Test(
    "an entity tag that is no header is not kept", arguments: ["", "a\r\nb", "ü", String(repeating: "x", count: 1_025)])
  func entityTags(tag: String) throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.url.path)
    try cache.store(Self.placement("x", tag: tag), for: "main", scope: "s")
    #expect(cache.placement("main", scope: "s") == Self.placement("x"))
  }

  @Test("the oldest placements make room") func bound() throws {
    let folder = try TemporaryFolder()
    let cache = FlowCache(folder: folder.url.path)
    let count = FlowCache.maximumCount
    for number in 0..<count + 3 { try cache.store(Self.placement("x"), for: "p\(number)", scope: "s") }
    let kept = (0..<count + 3).filter { cache.placement("p\($0)", scope: "s") != nil }
    #expect(kept == Array(3..<count + 3))
    try cache.clear()
    #expect(try ClientLab.modes(folder.url.path).isEmpty)
  }

  @Test("a scope says nothing of what it is made of") func scope() throws {
    let configuration = try ClientLab().configuration()
    let scope = CacheScope.text(configuration, userId: "user-1", deviceId: "d")
    #expect(scope.wholeMatch(of: /[0-9a-f]{16}/) != nil)
    #expect(scope != CacheScope.text(configuration, userId: "user-1d", deviceId: ""))
    #expect(scope == CacheScope.text(configuration, userId: "user-1", deviceId: "d"))
  }
}
