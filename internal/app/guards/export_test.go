package guards

// OpenWith is Open with the client that fetches key sets, whose authorities a test chooses.
var OpenWith = open
