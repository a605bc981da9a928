
J0¸I‰IHŒC·D§GNIùG&JªIÏGzCEI^JäGEI¦JæGDdEGÇIH