import FoundationEssentials

extension HapticPattern {
  /// The maximum size of a file, in bytes.
  public static let largestFile = 1 << 20

  /// Reads a pattern from JSON: a list of `{"atMs", "durationMs", "strong", "weak"}` with an optional `"attackMs"`.
  /// Times are in whole milliseconds, levels from 0 to 1.
  ///
  /// - Throws: `HapticPatternError`, with the entry and the field.
  public init(json: [UInt8]) throws(HapticPatternError) {
    guard json.count <= Self.largestFile else { throw .tooManyPulses }
    let entries: [Entry]
    do {
      entries = try JSONDecoder().decode(Entries.self, from: Data(json)).list
    } catch {
      throw error as? HapticPatternError ?? .notJSON
    }
    try self.init(entries.map(\.pulse))
  }

  private struct Entries: Decodable {
    let list: [Entry]

    init(from decoder: any Decoder) throws {
      guard var container = try? decoder.unkeyedContainer() else { throw HapticPatternError.notAList }
      var list: [Entry] = []
      while !container.isAtEnd {
        guard list.count < HapticPattern.mostPulses else { throw HapticPatternError.tooManyPulses }
        list.append(try container.decode(Entry.self))
      }
      self.list = list
    }
  }

  private struct Entry: Decodable {
    let pulse: HapticPulse

    private struct Key: CodingKey {
      let stringValue: String
      let intValue: Int? = nil
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let index = decoder.codingPath.last?.intValue ?? 0
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        throw HapticPatternError.notAPulse(entry: index)
      }
      let names = container.allKeys.map(\.stringValue).sorted()
      // A misspelt field would otherwise have no effect.
      if let name = names.first(where: { HapticPatternField(rawValue: $0) == nil }) {
        throw HapticPatternError.unknownField(entry: index, name: name)
      }
      func value<Number: Decodable>(_ field: HapticPatternField) throws -> Number {
        let key = Key(stringValue: field.rawValue)
        guard container.contains(key) else { throw HapticPatternError.missing(entry: index, field) }
        guard let number = try? container.decode(Number.self, forKey: key) else {
          throw HapticPatternError.notANumber(entry: index, field)
        }
        return number
      }
      pulse = HapticPulse(
        start: try value(.start), length: try value(.length), strong: try value(.strong), weak: try value(.weak),
        attack: container.contains(Key(stringValue: HapticPatternField.attack.rawValue)) ? try value(.attack) : 0)
    }
  }
}
