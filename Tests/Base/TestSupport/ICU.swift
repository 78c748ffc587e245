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
    let library =
      name.hasPrefix("uplrules") || name.hasPrefix("unum") ? "libicui18n.so.\(version)" : "libicuuc.so.\(version)"
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

  /// How numbers with the digits 0 to 9 are written.
  package struct Numbers: Sendable, Equatable {
    package var decimal: String
    package var group: String
    /// Whether groups of two stand before the last group of three.
    package var hasGroupsOfTwo: Bool
  }

  package func numbers(_ locale: String) throws -> Numbers {
    typealias Format = OpaquePointer
    typealias Status = UnsafeMutablePointer<Int32>
    let open = try function(
      "unum_open",
      (@convention(c) (Int32, UnsafePointer<UInt16>?, Int32, Text, UnsafeMutableRawPointer?, Status) -> Format?).self)
    let close = try function("unum_close", (@convention(c) (Format) -> Void).self)
    let symbol = try function(
      "unum_getSymbol",
      (@convention(c) (Format, Int32, UnsafeMutablePointer<UInt16>, Int32, Status) -> Int32).self)
    let attribute = try function("unum_getAttribute", (@convention(c) (Format, Int32) -> Int32).self)
    var status: Int32 = 0
    let format = try #require(open(1, nil, 0, "\(locale)@numbers=latn", nil, &status))  // UNUM_DECIMAL
    defer { close(format) }
    func text(_ kind: Int32) -> String {
      var buffer = [UInt16](repeating: 0, count: 16)
      let count = symbol(format, kind, &buffer, 16, &status)
      return String(decoding: buffer.prefix(Int(count)), as: UTF16.self)
    }
    // UNUM_DECIMAL_SEPARATOR_SYMBOL, UNUM_GROUPING_SEPARATOR_SYMBOL, UNUM_SECONDARY_GROUPING_SIZE
    return Numbers(decimal: text(0), group: text(1), hasGroupsOfTwo: attribute(format, 15) == 2)
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
