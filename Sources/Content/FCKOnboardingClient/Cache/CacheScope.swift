/// Tells answers for different servers, keys, environments and persons apart. The files of the cache contain this number
/// only, not what it was made of.
enum CacheScope {
  static func text(_ configuration: FCKConfiguration, userId: String?, deviceId: String) -> String {
    let parts = [
      configuration.baseAddress, configuration.environment.rawValue, configuration.apiKey, userId ?? "", deviceId,
    ]
    let digits = String(hash(parts), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// 64-bit FNV-1a (the Internet draft on FNV). Nobody gains by a collision: all parts are the program's own.
  private static func hash(_ parts: [String]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      // No text of UTF-8 has the byte 0xFF.
      for byte in part.utf8 + [0xFF] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return hash
  }
}
