import FoundationEssentials
import Tessera
import TesseraCommandLine

/// The format of a file that a command writes. It follows from the option, whatever the name of the file says.
enum WrittenFormat: String {
  case png = "PNG"
  case html = "HTML"
  case json = "JSON"
  case pem = "PEM"
  case der = "DER"
  case text = "plain text"

  /// - Returns: nil for a form without usual file names.
  init?(_ format: PublicKeyFormat) {
    switch format {
    case .pem: self = .pem
    case .der: self = .der
    case .jwk: self = .json
    case .base64, .point, .ssh: return nil
    }
  }

  /// The file name extensions of the format, the usual one first.
  private var extensions: [String] {
    switch self {
    case .png: ["png"]
    case .html: ["html", "htm", "xhtml"]
    case .json: ["json", "jwk"]
    case .pem: ["pem", "crt", "cer", "csr", "req", "key", "pub", "txt"]
    case .der: ["der", "crt", "cer", "key", "pub", "spki"]
    case .text: ["txt", "log", "trace"]
    }
  }

  /// Extensions of formats that other programs rely on. Any other extension, such as `.sig`, promises nothing.
  private static let promising: Set = [
    "png", "jpg", "jpeg", "jp2", "gif", "webp", "bmp", "tif", "tiff", "svg", "pdf", "html", "htm", "xml", "json", "csv",
    "txt", "pem", "der", "zip", "gz", "docx",
  ]

  /// Says that the name of a file promises another format than it has.
  func remark(on path: String) {
    let end = Self.end(of: path)
    guard path != "-", Self.promising.contains(end), !extensions.contains(end), let usual = extensions.first else {
      return
    }
    Note.write(
      "\(path): The format is \(rawValue), not that of the name. Its usual file name extension is .\(usual).")
  }

  /// Whether the name promises a picture.
  static func isPicture(_ path: String) -> Bool {
    ["png", "jpg", "jpeg", "jp2", "gif", "webp", "bmp", "tif", "tiff", "svg"].contains(end(of: path))
  }

  /// Says that the name of a dump's folder promises a file.
  static func remark(onFolder path: String) {
    guard promising.contains(end(of: path)) else { return }
    Note.write("\(path) is a folder: the dump is one file only if the name ends in .tessera.")
  }

  private static func end(of path: String) -> String { URL(fileURLWithPath: path).pathExtension.lowercased() }
}
