// The studio as a page of its own.

import { overHttp } from "/page/http.js";
import { start } from "/page/main.js";

document.body.classList.add("studio");
start(document, document.body, overHttp());
