import TesseraPassport

/// The names of the files in a dump.
enum DumpNames {
  static let checksums = "SHA256SUMS"
  static let manifest = "manifest.json"
  static let evidence = "evidence.json"
  static let report = "report.json"

  /// The folder in which a new dump is whole while its files take the places of an older one's.
  static let pending = ".dump-new"

  /// `DG1.bin`, `EF.ATR-INFO.bin`.
  static func name(of file: ElementaryFile) -> String {
    file.name.replacing("/", with: "-") + ".bin"
  }

  /// The elementary files by their names.
  static let files: [String: ElementaryFile] = Dictionary(
    ElementaryFile.all.map { (name(of: $0), $0) }, uniquingKeysWith: { first, _ in first })

  static let all: Set<String> = Set(files.keys).union([checksums, manifest, evidence, report])
}
