import FoundationEssentials
import Tessera
import TesseraCommandLine

/// The file of `--portrait`: the original image, or a PNG if the file name ends in `.png`.
struct PortraitFile {
  /// `-` for standard output, to which the original image is written.
  let path: String

  private var fileExtension: String { URL(fileURLWithPath: path).pathExtension.lowercased() }

  /// - Throws: `PictureError` if the image cannot be converted to PNG; `Failure` if the file cannot be written.
  func write(_ face: FacialImage) throws {
    if path == "-" { return try StandardOutput.write(bytes: face.data) }
    let url = URL(fileURLWithPath: path)
    if fileExtension == "png", face.format != .png {
      let picture = try Picture(decoding: face.data)
      if picture.isDamaged { Note.write("The image is damaged or truncated. A part of the picture is not reliable.") }
      return try PrivateFile.write(try picture.png(), to: url)
    }
    try PrivateFile.write(face.data, to: url)
    let expected = face.format.fileExtension
    let others = [("jpeg", "jpg"), ("j2k", "jp2"), ("jpf", "jp2")]
    if fileExtension != expected, !others.contains(where: { $0 == (fileExtension, expected) }) {
      Note.write(
        "The portrait's format is \(face.format.rawValue). Its usual file name extension is .\(expected); "
          + "use .png to convert it to PNG.")
    }
  }
}
