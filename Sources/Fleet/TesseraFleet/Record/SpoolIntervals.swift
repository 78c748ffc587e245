/// How often a recorder looks after its spool while records wait there.
package struct SpoolIntervals: Sendable {
  /// After which the spool is listed again, for records that another process has left. Each listing opens all files.
  package var listing = Duration.seconds(300)
  /// Between two attempts to send records: the first pause, and the limit of its growth.
  package var pauses: ClosedRange<Duration> = .milliseconds(250) ... .seconds(30)

  package init() {}
}
