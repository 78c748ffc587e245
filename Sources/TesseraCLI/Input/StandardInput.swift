import Foundation
import Tessera

/// What `-` stands for as an input.
enum StandardInput {
  /// - Throws: `Failure` of kind `usage` where it cannot be read: closed, or a folder.
  static func read(upToCount count: Int) throws -> String { try text(of: .standardInput, upToCount: count) }

  static func text(of file: FileHandle, upToCount count: Int) throws -> String {
    do {
      var data = Data()
      // A pipe delivers in pieces.
      while data.count < count, let piece = try file.read(upToCount: count - data.count), !piece.isEmpty {
        data += piece
      }
      return String(decoding: data, as: UTF8.self)
    } catch {
      throw Failure(.usage, "The input cannot be read.", remedy: "See that it is a readable file or an open pipe.")
    }
  }
}
