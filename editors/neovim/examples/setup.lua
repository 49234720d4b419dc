require('vramlens').setup()
