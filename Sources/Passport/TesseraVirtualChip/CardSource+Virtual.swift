public import TesseraReaders

extension CardSource {
  /// A software chip in this process. It accepts the files of another profile: the profile says how the chip behaves,
  /// and what EF.CardAccess of the files offers is added to that.
  ///
  /// Connecting throws `ChipFilesError.noKey` if the profile requires Basic Access Control and DG1 contains no key.
  public static func virtual(_ profile: ChipProfile, _ files: ChipFiles) -> CardSource {
    CardSource { _ in VirtualCard.card(try Chip(profile: profile, files: files)) }
  }
}
