import FoundationEssentials
internal import TesseraCore
internal import TesseraCryptography
internal import TesseraJSON

/// Folders in which results wait, unsigned, for their own folder, so that the end of this program loses none: GTK ends the
/// program at once when its display is gone, whatever else it has to do.
///
/// The first one is the quickest, `$XDG_RUNTIME_DIR` in memory. The others keep results over a restart of the machine. Its
/// calls block.
package struct ResultSpool: Sendable {
  /// How the names of these folders begin.
  private static let beginning = "kiosk-waiting"

  private struct Place {
    let folder: ResultFolder
    let owner: FolderOwner
  }

  private let places: [Place]

  /// - Parameter folders: their paths. One that another process uses is left out for as long.
  package init(folders: [String]) {
    places = folders.map { path in
      let folder = ResultFolder(path: path)
      return Place(folder: folder, owner: FolderOwner(folder))
    }
  }

  /// Keeps a result in the first folder that takes it, or in each that does.
  ///
  /// - Returns: the last of these folders; nil if none takes it.
  package func park(_ result: GuestResult, everywhere: Bool) -> String? {
    var taken: String?
    for place in places {
      do {
        try place.owner.take()
        try place.folder.writeUnsigned(result)
      } catch { continue }
      taken = place.folder.path
      if !everywhere { break }
    }
    return taken
  }

  /// The name of a folder for results of these options only: what waits unsigned must not reach another receiver, or have
  /// members that are no longer disclosed.
  ///
  /// - Parameters:
  ///   - destination: where signed results go.
  ///   - disclosed: the members of the document that they have.
  ///   - isVirtual: whether they are of virtual documents.
  package static func folderName(
    _ destination: GuestBook.Destination, disclosed: [String], isVirtual: Bool
  ) throws -> String {
    let place =
      switch destination {
      case .folder(let path): "folder \(URL(fileURLWithPath: path).standardizedFileURL.path)"
      case .server(let address, _): "server \(address)"
      }
    let options: JSONValue = [
      "destination": .string(place), "disclosed": .array(Set(disclosed).sorted().map(JSONValue.string)),
      "virtual": .bool(isVirtual),
    ]
    let digest = try HashAlgorithm.sha256.digest(of: Array(options.text.utf8))
    return "\(beginning)-\(digest.prefix(8).hexadecimal.lowercased())"
  }

  /// Results that a kiosk with other options left.
  package struct Others: Sendable, Equatable {
    /// Those with the name of its options: a result may be in each of them.
    package let folders: [String]
    /// Each result once.
    package let count: Int
  }

  /// The folders beside these that have results, which kiosks with other options left, and how many. None that a process
  /// uses now.
  package func elsewhere() -> [Others] {
    let own = Set(places.map { URL(fileURLWithPath: $0.folder.path).standardizedFileURL.path })
    let parents = own.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    var found: [String: (folders: [String], results: Set<String>)] = [:]
    for parent in Set(parents).sorted() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
      for name in names where name.hasPrefix(Self.beginning) && !own.contains("\(parent)/\(name)") {
        let folder = ResultFolder(path: "\(parent)/\(name)")
        guard let results = try? folder.names(), !results.isEmpty, (try? FolderOwner(folder).take()) != nil else {
          continue
        }
        found[name, default: ([], [])].folders.append(folder.path)
        found[name, default: ([], [])].results.formUnion(results)
      }
    }
    return found.sorted { $0.key < $1.key }.map { Others(folders: $0.value.folders, count: $0.value.results.count) }
  }

  /// What earlier processes left, the oldest first. What cannot be read stays where it is.
  ///
  /// - Parameter limit: how many are read; the rest waits for the next start.
  func parked(upTo limit: Int) -> [GuestResult] {
    var found: [String: [ResultFolder]] = [:]
    for place in places {
      guard (try? place.owner.take()) != nil, let names = try? place.folder.names() else { continue }
      for name in names { found[name, default: []].append(place.folder) }
    }
    return found.keys.sorted().prefix(limit).compactMap { name in
      // A copy that cannot be read does not hide the other one.
      let texts = found[name, default: []].lazy.compactMap { folder in (try? folder.unsigned(name)) ?? nil }
      return texts.first.map { GuestResult(name: name, json: $0) }
    }
  }

  /// The result is in its own folder.
  ///
  /// - Returns: the folders that still have it, which the next start would take for a result that waits.
  func remove(_ result: GuestResult) -> [(folder: String, failure: Failure)] {
    places.compactMap { place in
      guard (try? place.owner.take()) != nil else { return nil }
      do { try place.folder.remove(result.name) } catch {
        // A disk that is read-only refuses also what is not there.
        guard (try? place.folder.names().contains(result.name)) ?? true else { return nil }
        return (place.folder.path, Failure(error))
      }
      return nil
    }
  }
}
