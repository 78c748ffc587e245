import Glibc
import Testing

/// ICU of this machine, which WebKitGTK needs: the reference for languages.
package struct ICU: Sendable {
  /// The number is a part of the names of the library and of its functions.
  package let version: Int

  package init() throws {
    version = try #require(
      (60...99).reversed().first { dlopen("libicui18n.so.\($0)", RTLD_NOW) != nil },
      "libicui18n is missing; install libwebkitgtk-6.0-dev")
  }

  private func function<F>(_ name: String, _ type: F.Type) throws -> F {
    let library = name.hasPrefix("uplrules") ? "libicui18n.so.\(version)" : "libicuuc.so.\(version)"
    let symbol = try #require(dlsym(dlopen(library, RTLD_NOW), "\(name)_\(version)"))
    return unsafeBitCast(symbol, to: type)
  }

  private typealias Text = UnsafePointer<CChar>

  /// The locales that it has texts for.
  package var locales: [String] {
    get throws {
      let count = try function("uloc_countAvailable", (@convention(c) () -> Int32).self)
      let name = try function("uloc_getAvailable", (@convention(c) (Int32) -> Text?).self)
      return (0..<count()).compactMap { name($0).map { String(cString: $0) } }
    }
  }

  /// The codes of the regions.
  package var regions: [String] {
    get throws {
      let list = try function(
        "uloc_getISOCountries", (@convention(c) () -> UnsafePointer<Text?>).self)()
      var regions: [String] = []
      while let region = list[regions.count] { regions.append(String(cString: region)) }
      return regions
    }
  }

  /// For example `zh_Hant_TW` for `zh_TW`.
  package func likely(_ locale: String) throws -> String {
    let add = try function(
      "uloc_addLikelySubtags",
      (@convention(c) (Text, UnsafeMutablePointer<CChar>, Int32, UnsafeMutablePointer<Int32>) -> Int32).self)
    var buffer = [CChar](repeating: 0, count: 64)
    var status: Int32 = 0
    let count = add(locale, &buffer, 64, &status)
    return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The plural categories of the numbers.
  package func categories(_ locale: String, _ numbers: [Int]) throws -> [String] {
    typealias Rules = OpaquePointer
    let open = try function(
      "uplrules_open", (@convention(c) (Text, UnsafeMutablePointer<Int32>) -> Rules?).self)
    let close = try function("uplrules_close", (@convention(c) (Rules) -> Void).self)
    let select = try function(
      "uplrules_select",
      (@convention(c) (Rules, Double, UnsafeMutablePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>) -> Int32).self)
    var status: Int32 = 0
    let rules = try #require(open(locale, &status))
    defer { close(rules) }
    return numbers.map { number in
      var buffer = [UInt16](repeating: 0, count: 16)
      let count = select(rules, Double(number), &buffer, 16, &status)
      return String(decoding: buffer.prefix(Int(count)), as: UTF16.self)
    }
  }
}
