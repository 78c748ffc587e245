import FoundationEssentials

/// Tessera's polkit action, embedded in the program: the file `Sources/Programs/TesseraDoctor/Rules/org.tessera.policy` of the repository.
package enum PolicyFile {
  /// polkit reads actions from this folder only (polkit(8)).
  static let path = "/usr/share/polkit-1/actions/org.tessera.policy"

  package static var contents: [UInt8] { PackageResources.org_tessera_policy }

  enum State: Equatable { case missing, installed, different }

  static var state: State {
    guard let installed = FileManager.default.contents(atPath: path) else { return .missing }
    return installed.elementsEqual(contents) ? .installed : .different
  }

  /// Installs the file. polkit notices it at once.
  static var installation: Correction {
    .root([.write("\(Shell.word(RuleFile.program)) doctor --policy", to: path)], isOptional: true)
  }
}
