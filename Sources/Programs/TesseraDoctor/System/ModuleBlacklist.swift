import FoundationEssentials

/// The kernel modules that are not loaded automatically (modprobe.d(5)).
enum ModuleBlacklist {
  private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/modprobe.d" }

  static func contains(_ module: String) -> Bool {
    folders.contains { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains { file in
        guard file.hasSuffix(".conf"), let contents = FileManager.default.contents(atPath: "\(folder)/\(file)")
        else { return false }
        return String(decoding: contents, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
          line.split(whereSeparator: \.isWhitespace) == ["blacklist", module[...]]
        }
      }
    }
  }
}
