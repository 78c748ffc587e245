import CameraTestSupport
import Foundation
import TesseraPictures
import TestSupport
import Testing

extension RealPrograms {
  /// Every call of the kernel fails in turn, in a program of its own with a virtual camera. Each ends in a typed error, and
  /// leaves no descriptor, no thread and no mapping.
  @Suite("Faults of a camera")
  struct CameraFaultTests {
    struct Row: Sendable, CustomTestStringConvertible {
      let fault: String
      /// The name of the error, or `closed` if the fault does not end the capture.
      let outcome: String
      /// Words of the error's cause or remedy.
      let words: String

      init(_ fault: String, _ outcome: String, _ words: String = "") {
        (self.fault, self.outcome, self.words) = (fault, outcome, words)
      }

      var testDescription: String { "\(fault) → \(outcome)" }
    }

    private static func row(_ call: String, _ code: Int32, turns: String = "", _ outcome: String, _ words: String = "")
      -> Row
    {
      Row("\(call):\(code)\(turns)", outcome, words)
    }

    static let rows: [Row] = [
      row("stat", ENOENT, "missing"), row("stat", EACCES, "accessDenied"), row("stat", EIO, "failed", "stat: "),
      row("open", ENOENT, "missing"), row("open", ENODEV, "missing"), row("open", ENXIO, "missing"),
      row("open", EACCES, "accessDenied", "usermod -aG video"), row("open", EPERM, "accessDenied"),
      row("open", EBUSY, "inUse", "fuser -v /dev/video7"), row("open", EMFILE, "failed", "open: too many open files"),
      // The second time, when the capture opens the device that was found.
      row("open", ENOENT, turns: ":2", "missing"), row("open", EACCES, turns: ":2", "accessDenied"),
      row("VIDIOC_QUERYCAP", ENOTTY, "notACamera"), row("VIDIOC_QUERYCAP", EINVAL, "notACamera"),
      row("VIDIOC_QUERYCAP", ENODEV, "disconnected"), row("VIDIOC_QUERYCAP", EIO, "failed", "VIDIOC_QUERYCAP: "),
      row("VIDIOC_QUERYCAP", EIO, turns: ":2", "failed", "VIDIOC_QUERYCAP: "),
      row("VIDIOC_ENUM_FMT", EINVAL, "noReadableFormat", "it offers none"),
      row("VIDIOC_ENUM_FMT", ENODEV, "disconnected"),
      row("VIDIOC_ENUM_FMT", EIO, "failed", "VIDIOC_ENUM_FMT: "),
      row("VIDIOC_ENUM_FRAMESIZES", ENOTTY, "closed"), row("VIDIOC_ENUM_FRAMESIZES", EINVAL, "closed"),
      row("VIDIOC_ENUM_FRAMESIZES", EIO, "failed", "VIDIOC_ENUM_FRAMESIZES: "),
      row("VIDIOC_ENUM_FRAMEINTERVALS", ENOTTY, "closed"), row("VIDIOC_ENUM_FRAMEINTERVALS", EINVAL, "closed"),
      row("VIDIOC_ENUM_FRAMEINTERVALS", EIO, "failed", "VIDIOC_ENUM_FRAMEINTERVALS: "),
      row("VIDIOC_S_FMT", EBUSY, "inUse"), row("VIDIOC_S_FMT", EINVAL, "noReadableFormat"),
      row("VIDIOC_S_FMT", EIO, "failed", "VIDIOC_S_FMT: "), row("VIDIOC_S_FMT", ENODEV, "disconnected"),
      row("VIDIOC_S_FMT", EACCES, "accessDenied"),
      // The rate is a wish.
      row("VIDIOC_S_PARM", ENOTTY, "closed"), row("VIDIOC_S_PARM", EINVAL, "closed"),
      row("VIDIOC_S_PARM", EIO, "closed"),
      row("VIDIOC_S_PARM", ENODEV, "disconnected"),
      row("VIDIOC_REQBUFS", EBUSY, "inUse"), row("VIDIOC_REQBUFS", ENOMEM, "failed", "VIDIOC_REQBUFS: cannot allocate"),
      row("VIDIOC_REQBUFS", EINVAL, "failed", "VIDIOC_REQBUFS: "), row("VIDIOC_REQBUFS", ENODEV, "disconnected"),
      row("VIDIOC_QUERYBUF", EINVAL, "failed", "VIDIOC_QUERYBUF: "),
      row("VIDIOC_QUERYBUF", ENODEV, turns: ":2", "disconnected"),
      row("mmap", ENOMEM, "failed", "mmap: cannot allocate memory"), row("mmap", EACCES, "accessDenied"),
      row("mmap", ENOMEM, turns: ":3", "failed", "mmap: "), row("mmap", ENODEV, turns: ":4", "disconnected"),
      row("VIDIOC_QBUF", EIO, "failed", "VIDIOC_QBUF: "),
      row("VIDIOC_QBUF", EINVAL, turns: ":3", "failed", "VIDIOC_QBUF: "),
      row("VIDIOC_QBUF", ENOMEM, turns: ":6", "failed", "VIDIOC_QBUF: "),
      row("VIDIOC_QBUF", ENODEV, turns: ":6", "disconnected"),
      row("VIDIOC_STREAMON", EBUSY, "inUse"), row("VIDIOC_STREAMON", ENOSPC, "failed", "another USB port"),
      row("VIDIOC_STREAMON", EIO, "failed", "VIDIOC_STREAMON: "), row("VIDIOC_STREAMON", ENODEV, "disconnected"),
      row("VIDIOC_STREAMON", EPIPE, "failed", "VIDIOC_STREAMON: "),
      row("VIDIOC_DQBUF", EIO, turns: ":2", "failed", "VIDIOC_DQBUF: input/output error"),
      row("VIDIOC_DQBUF", EIO, turns: ":2:3", "closed"), row("VIDIOC_DQBUF", EAGAIN, turns: ":1:4", "closed"),
      row("VIDIOC_DQBUF", EAGAIN, "noPicture", "in 2 seconds"),
      row("VIDIOC_DQBUF", ENODEV, turns: ":3", "disconnected"),
      row("VIDIOC_DQBUF", EINVAL, turns: ":2", "failed", "VIDIOC_DQBUF: "), row("VIDIOC_DQBUF", ENOMEM, "failed"),
      row("poll", ENOMEM, "failed", "poll: "), row("poll", EINVAL, turns: ":3", "failed", "poll: "),
      row("poll", EINTR, turns: ":2:5", "closed"),
      // There is nothing to do about it.
      row("VIDIOC_STREAMOFF", EIO, "closed"), row("VIDIOC_STREAMOFF", ENODEV, "closed"),
    ]

    /// Every request is repeated that a signal interrupted.
    private static let interrupted =
      [
        "stat", "open", "VIDIOC_QUERYCAP", "VIDIOC_ENUM_FMT", "VIDIOC_ENUM_FRAMESIZES", "VIDIOC_ENUM_FRAMEINTERVALS",
        "VIDIOC_S_FMT", "VIDIOC_S_PARM", "VIDIOC_REQBUFS", "VIDIOC_QUERYBUF", "VIDIOC_QBUF", "VIDIOC_STREAMON",
        "VIDIOC_DQBUF", "VIDIOC_STREAMOFF",
      ].map { row($0, EINTR, turns: ":1:3", "closed") }

    @Test("ends in its outcome and leaves nothing", arguments: rows + interrupted)
    func fault(row: Row) async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(8)], rate: 100, fault: row.fault)
      let lines = try await CameraProgram(camera).run("read", "5", "0", row.outcome == "noPicture" ? "2" : "3600")
      let outcome = try #require(lines.dropLast().last)
      #expect(outcome == row.outcome || outcome.hasPrefix(row.outcome + "|"), "\(lines)")
      #expect(row.words.isEmpty || outcome.contains(row.words), "\(outcome)")
      #expect(lines.last == CameraProgram.nothingLeft)
      if row.outcome == "closed" { #expect(lines.count == 8, "a format and five pictures: \(lines)") }
    }

    /// `VIDIOC_G_FMT` and `VIDIOC_S_FMT` say whether another program streams.
    private static let queries: [Row] = [
      row("VIDIOC_QUERYCAP", EIO, turns: ":2", "failed", "VIDIOC_QUERYCAP: "),
      row("VIDIOC_ENUM_FMT", EINVAL, "noReadableFormat"), row("VIDIOC_G_FMT", EINVAL, "failed", "VIDIOC_G_FMT: "),
      row("VIDIOC_G_FMT", EIO, "failed", "VIDIOC_G_FMT: "), row("VIDIOC_G_FMT", ENODEV, "disconnected"),
      row("VIDIOC_G_FMT", EINTR, turns: ":1:3", "closed"), row("VIDIOC_S_FMT", EBUSY, "inUse"),
    ]

    @Test("the query whether a camera can be used ends in its outcome and leaves nothing", arguments: queries)
    func query(row: Row) async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(8)], fault: row.fault)
      let lines = try await CameraProgram(camera).run("probe")
      let outcome = try #require(lines.first)
      #expect(outcome == row.outcome || outcome.hasPrefix(row.outcome + "|"), "\(lines)")
      #expect(row.words.isEmpty || outcome.contains(row.words), "\(outcome)")
      #expect(lines.count == 2 && lines.last == CameraProgram.nothingLeft)
    }
  }
}
