import FoundationEssentials
import Glibc
import TesseraCore

extension Sandbox {
  /// The sandbox for this process on this machine.
  ///
  /// - Throws: `Failure` if there is no display, or the folders cannot be created.
  static func ofThisProcess() throws(Failure) -> Sandbox {
    let environment = ProcessInfo.processInfo.environment
    let folders = PassageFolders(environment)
    let isRoot = getuid() == 0
    if isRoot { try folders.make(for: PassageFolders.substituteOfRoot) } else { try folders.make() }
    var home = environment["HOME", default: ""]
    if !home.hasPrefix("/") || home == "/" { home = "/home/passage" }
    let roots = roots
    return Sandbox(
      folders: folders, display: try DisplayAccess(environment), programFiles: loadedFiles(),
      graphicsFolders: graphicsFolders(), renderNodes: renderNodes(), keyFolders: keyFolders(), rootLinks: roots.links,
      rootFolders: roots.folders, environment: environment,
      user: isRoot ? PassageFolders.substituteOfRoot : getuid(), home: home)
  }

  private static var roots: (links: [(path: String, target: String)], folders: [String]) {
    var links: [(path: String, target: String)] = []
    var folders: [String] = []
    for name in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
      let path = "/" + name
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
        links.append((path, target))
      } else if access(path, F_OK) == 0 {
        folders.append(path)
      }
    }
    return (links, folders)
  }

  /// A program that is not installed, for example one in a build folder, and its libraries.
  private static func loadedFiles() -> [String] {
    var files: [String] = []
    for line in InputBytes.text("/proc/self/maps").split(separator: "\n") {
      guard let start = line.firstIndex(of: "/") else { continue }
      let path = String(line[start...])
      let isOfSystem = ["/usr/", "/lib", "/bin/", "/sbin/", "/dev/"].contains(where: path.hasPrefix)
      if !isOfSystem, !files.contains(path), access(path, R_OK) == 0 { files.append(path) }
    }
    return files
  }

  private static func renderNodes() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/dri")) ?? []
    return names.filter { $0.hasPrefix("renderD") }.sorted().map { "/dev/dri/" + $0 }
  }

  /// bubblewrap can only cover folders that are there.
  private static func keyFolders() -> [String] {
    ["/etc/ssl/private", "/etc/pki/tls/private"].filter { path in
      var information = stat()
      return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
  }

  private static func graphicsFolders() -> [String] {
    let folder = "/sys/class/drm"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var found: Set<String> = []
    for name in names where (name.hasPrefix("card") || name.hasPrefix("renderD")) && !name.contains("-") {
      guard let resolved = realpath("\(folder)/\(name)/device", nil) else { continue }
      found.insert(String(cString: resolved))
      free(resolved)
    }
    return found.sorted()
  }
}
