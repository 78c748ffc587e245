internal import TesseraNATS

extension TrustBucketError {
  /// What an error of the connection means for the bucket.
  init(_ error: NATSError) {
    switch error {
    case .bucketMissing: self = .bucketMissing
    case .conflict: self = .conflict
    case .streamFull, .tooLarge: self = .tooLarge
    default: self = .unreachable
    }
  }
}
