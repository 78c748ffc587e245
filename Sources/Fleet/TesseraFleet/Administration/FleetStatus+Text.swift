internal import TesseraCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension FleetStatus {
  /// The narrowest table.
  package static let minimumWidth = 80

  /// The state as a table for a terminal. The columns have fixed places, so that a table that is drawn again and again
  /// does not jump.
  ///
  /// - Parameters:
  ///   - width: The columns of the terminal; no line is longer.
  ///   - deskCount: The most desks to show.
  ///   - now: For the age of the newest record.
  package func text(width: Int = 100, deskCount: Int = 20, now: Date = .now) -> String {
    let width = max(Self.minimumWidth, width)
    return lines(deskCount, now).map { Self.cut($0, to: width) }.joined(separator: "\n") + "\n"
  }

  private func lines(_ deskCount: Int, _ now: Date) -> [String] {
    let desks = desks
    var lines = [
      "Inspectors \(inspectors.count)   Desks in 24 h \(desks.count)   Reads \(inspectors.map(\.readCount).reduce(0, +))"
        + "   Under way \(inspectors.map(\.underWay).reduce(0, +))"
    ]
    if unreadable > 0 { lines.append("\(unreadable) answers cannot be decoded: another version of Tessera?") }
    lines.append(recordLine(now))
    lines.append("Certificates  " + (trustVersion.map { "version \($0)" } ?? "none"))
    if !reads.isEmpty {
      lines.append(
        "Outcomes      "
          + reads.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
          .joined(separator: ", "))
    }
    lines += ["", Self.inspectorColumns(["INSPECTOR", "VERSION", "UP", "READS", "NOW", "SPOOL", "CERTIFICATES"])]
    lines += inspectors.flatMap { [line($0)] + Self.problems(of: $0) }
    lines += ["", Self.deskColumns(["DESK", "VERSION", "READS", "LAST READ"])]
    lines += desks.prefix(deskCount).map { desk in
      Self.deskColumns([desk.name, desk.software, "\(desk.reads)", "\(Self.duration(desk.age)) ago"])
    }
    let hidden = desks.count - min(deskCount, desks.count) + inspectors.map(\.furtherDesks).reduce(0, +)
    if hidden > 0 { lines.append("and \(hidden) more") }
    return lines
  }

  private func recordLine(_ now: Date) -> String {
    guard let record else {
      return "Record        " + (lacksRecord ? "none yet: tessera fleet prepare" : "does not answer")
    }
    let age = record.last.map { ", newest \(Self.duration(Self.seconds(from: $0, to: now))) ago" } ?? ""
    let lagging = record.lagging > 0 ? ", \(record.lagging) behind" : ""
    let leader = record.leader.map { ", leader \(PrintableText.of($0))" } ?? (record.replicas > 1 ? ", no leader" : "")
    return "Record        \(record.messages) messages, \(Self.size(record.bytes))\(age)"
      + ", on \(record.replicas) \(record.replicas == 1 ? "server" : "servers")\(lagging)\(leader)"
  }

  private func line(_ inspector: InspectorStatus) -> String {
    let trust =
      inspector.trustVersion.map { "\($0)\(lags(inspector) && inspector.trustProblem == nil ? " (old)" : "")" }
      ?? (inspector.trustProblem == nil ? "own" : "none")
    let spool = inspector.spooled == 0 ? "0" : "\(inspector.spooled), \(Self.duration(inspector.oldestSpooled ?? 0))"
    return Self.inspectorColumns([
      inspector.inspector, inspector.software, Self.duration(inspector.uptime), "\(inspector.readCount)",
      "\(inspector.underWay)", spool,
      inspector.trustProblem.map { "\(trust), \($0)" } ?? trust,
    ])
  }

  /// What is wrong with an inspector, a line each.
  private static func problems(of inspector: InspectorStatus) -> [String] {
    var problems: [String] = []
    if inspector.hasWrongClock, let seconds = inspector.clockDifference {
      problems.append(
        "its clock is \(duration(abs(seconds))) \(seconds > 0 ? "ahead of" : "behind") its server's: it judges nothing")
    }
    if inspector.dropped > 0 { problems.append("it dropped \(inspector.dropped) messages, which came too fast") }
    if inspector.notPermitted > 0 {
      problems.append("its server refused \(inspector.notPermitted) publications or subscriptions")
    }
    return problems.map { "  \($0)" }
  }

  // MARK: - Form

  private static func inspectorColumns(_ cells: [String]) -> String { columns(cells, [22, 8, 9, -8, -5, 11]) }

  private static func deskColumns(_ cells: [String]) -> String { columns(cells, [32, 8, -9]) }

  /// - Parameter widths: Of all cells but the last; negative if the cell stands at the right.
  private static func columns(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      guard index < widths.count else {
        line += cell
        break
      }
      let width = abs(widths[index])
      let text = cut(cell, to: width)
      let space = String(repeating: " ", count: width - text.count)
      line += widths[index] < 0 ? space + text : text + space
      line += "  "
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private static func cut(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  /// `12 s`, `3 min`, `5 h`, `2 d`.
  private static func duration(_ seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }

  /// The whole seconds between two times; zero if the servers' clock is ahead.
  private static func seconds(from time: Date, to now: Date) -> Int {
    let seconds = now.timeIntervalSince(time)
    return seconds > 0 && seconds < 1e12 ? Int(seconds) : 0
  }

  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<(10 << 10): "\(bytes) bytes"
    case ..<(10 << 20): "\(bytes >> 10) KiB"
    case ..<(10 << 30): "\(bytes >> 20) MiB"
    default: "\(bytes >> 30) GiB"
    }
  }
}

extension InspectorStatus {
  /// The number of finished reads.
  package var readCount: Int { reads.values.reduce(0, +) }
}
