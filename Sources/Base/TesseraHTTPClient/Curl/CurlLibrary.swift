internal import CTesseraCurl
import TesseraThreads

/// libcurl, which the first request loads.
enum CurlLibrary {
  static let name = String(cString: tessera_curl_name())
  /// 7.85.0, the first version in which `CURLOPT_PROTOCOLS_STR` limits a request to https.
  private static let minimum: UInt32 = 0x07_55_00
  /// libcurl can be loaded by one thread at a time.
  private static let isLoaded = Locked(false)

  /// Loads the library unless it is loaded. After an error the next call tries again, since the library can have been
  /// installed.
  ///
  /// - Throws: `HTTPError.missingLibrary` or `HTTPError.outdatedLibrary`.
  static func load() throws(HTTPError) {
    let error = isLoaded.withLock { isLoaded -> HTTPError? in
      guard !isLoaded else { return nil }
      let error = attempt(name, minimum)
      isLoaded = error == nil
      return error
    }
    if let error { throw error }
  }

  /// Tries to load another library, or another version. Without an error it is the one that requests use.
  static func error(name: String, minimum: UInt32) -> HTTPError? {
    isLoaded.withLock { isLoaded in
      let error = attempt(name, minimum)
      isLoaded = isLoaded || error == nil
      return error
    }
  }

  private static func attempt(_ name: String, _ minimum: UInt32) -> HTTPError? {
    var version: UInt32 = 0
    switch tessera_curl_load(name, minimum, &version) {
    case TESSERA_CURL_LOADED: return nil
    case TESSERA_CURL_OUTDATED:
      return .outdatedLibrary(version: "\(version >> 16 & 0xFF).\(version >> 8 & 0xFF).\(version & 0xFF)")
    default: return .missingLibrary
    }
  }
}
